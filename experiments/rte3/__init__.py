"""The groups of scores that were written for RTE-3."""
