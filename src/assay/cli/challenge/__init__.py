"""`assay challenge`: challenge sets, subsets and behavioural tests."""
