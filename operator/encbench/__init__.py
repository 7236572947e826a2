"""encbench: what does turning database encryption on cost?"""

__version__ = "0.1.0"
