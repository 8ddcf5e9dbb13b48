"""The sections of a report, one file each: from the logs of a wearer to sentences and tables."""
