"""Human evaluation: study designs and their linter, assignment, quality control, records, analysis and simulation.

All logic works on plain records. The caller passes the time in seconds and the random seed, so that a server, a
simulation and a test run the same code.
"""
