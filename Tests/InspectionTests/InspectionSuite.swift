import Testing

/// Not in parallel: the tests count the processes that this one has.
@Suite("Inspection", .serialized, .timeLimit(.minutes(5)))
struct InspectionSuite {}
