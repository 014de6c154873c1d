"""The evaluation: benchmarks, systems to compare, judges, the runner and its report."""
