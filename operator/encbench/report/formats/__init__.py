"""A report as JSON, CSV, Markdown, HTML and text."""
