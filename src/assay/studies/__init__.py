"""Human evaluation: designs and their linter, assignment, quality control, records, analysis, simulation.

Everything here is plain logic over plain records. Time comes from outside as a number of seconds and chance from a
seed, so that a server, a simulation and a test run the same code.
"""
