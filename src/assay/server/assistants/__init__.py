"""Tools for assistants over the Model Context Protocol (MCP): score, compare, support, table."""
