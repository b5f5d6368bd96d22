import Testing

/// The services together, over real PostgreSQL, broker and object store. Each suite has a stack of its own.
@Suite("The whole system", .serialized)
enum SystemTests {}
