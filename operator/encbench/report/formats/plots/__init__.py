"""The plots of the page. Each takes parts of the report and returns one inline SVG.

No plot has a legend or a title of its own: the page names the arms once, by colour and by the shape
of their marker, and says above each plot what it shows. Concurrency is drawn as evenly spaced
levels, not on a scale, because what is compared stands side by side at one level.
"""
