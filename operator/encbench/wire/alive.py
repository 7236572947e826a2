"""How each end of a connection notices that the other one is lost.

Between operator and sidecar both have `KEPT_ALIVE`; a database server is set to do the same.
"""

import socket

IDLE, INTERVAL, PROBES = 60, 15, 4
"""Seconds without a word until the other end is asked, seconds between two questions, and how many
stay without an answer until it is given up."""
KEPT_ALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, IDLE),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, INTERVAL),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES),
)
"""Options of its socket. A node that is lost says nothing, and a proof may take hours: it is
noticed in two minutes."""
