"""Long runs under load: a service and a host among good, broken and hostile clients."""
