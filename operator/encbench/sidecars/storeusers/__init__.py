"""Beside the bundled MinIO: its users other than root, which never leaves that pod."""
