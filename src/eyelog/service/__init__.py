"""The service of the contract on an archive, and the simulated wearer."""
