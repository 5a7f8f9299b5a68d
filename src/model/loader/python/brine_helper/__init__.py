"""Runs Salt's Python modules for Brine: it reads calls from one pipe and answers on another."""
