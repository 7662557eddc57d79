"""The hostile servers, by theme."""
