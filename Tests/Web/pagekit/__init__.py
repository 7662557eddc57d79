"""A real browser, a real agent, and a network of namespaces: the page as its readers see it."""
