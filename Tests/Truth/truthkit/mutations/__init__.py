"""Everything that can happen to a host, by theme; importing this package fills the registry."""

from . import addresses, agents, bridges, guest, links, neighbours, nexthops, routes, rules, servers, tunnels, weather
from .registry import ALL, Mutation

__all__ = ["ALL", "Mutation", "addresses", "agents", "bridges", "guest", "links", "neighbours", "nexthops", "routes",
           "rules", "servers", "tunnels", "weather"]
