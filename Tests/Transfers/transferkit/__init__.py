"""Transfers over shaped links, beside iperf3 and ping."""
