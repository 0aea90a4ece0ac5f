"""Statistics of arrays: resampling, tests, intervals, corrections, agreement. See README.md."""
