"""Reports about trained models: how good, where not, and why; as plain values and as a page."""

from rekern.learning.reports.model_report import Report, make_report, report_training

__all__ = ["Report", "make_report", "report_training"]
