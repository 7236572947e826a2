"""How each end of a connection between operator and sidecar notices that the other one is lost."""

import socket

KEPT_ALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4),
)
"""Options of its socket. A node that is lost says nothing, and a proof may take hours: it is
noticed in two minutes."""
