"""The agents of the method, one file each: plain functions from what a stage needs to what it gives."""
