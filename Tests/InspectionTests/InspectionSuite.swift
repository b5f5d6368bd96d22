import Testing

/// Not in parallel: the tests count the child processes of this process.
@Suite("Inspection", .serialized, .timeLimit(.minutes(5)))
struct InspectionSuite {}
