"""The web framework that all servers share: access, accounts, database, jobs, pages."""
