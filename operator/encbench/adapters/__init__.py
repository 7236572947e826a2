"""What implements the ports: one adapter for each service that the operator or the plugin talks to.

18 files, because some services have a file for what is sent and one for the way there.
"""
