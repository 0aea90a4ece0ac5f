"""The benchmark service: submissions, queue, scoring and leaderboards on a server."""
