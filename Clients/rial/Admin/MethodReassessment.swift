import Foundation

/// What came of one step through the captures.
struct ReassessmentStep: Sendable, Equatable {
    /// How many captures are to be assessed again that were not already.
    let requested: Int
    /// Where the next step begins.
    let last: UUID
}

/// The captures, by the methods that assessed them.
protocol MethodCaptures: Sendable {
    /// Has those of the next captures by ascending id assessed again that are complete and were assessed by the method. What is being
    /// carried out stays as it is, so a step may be repeated.
    /// - Parameters:
    ///   - after: the last id of the step before; `nil` for the first.
    ///   - limit: how many captures to look at.
    /// - Returns: `nil` if no capture is left.
    func request(by method: String, after: UUID?, limit: Int) async throws -> ReassessmentStep?
}

/// Has every capture assessed again that was assessed by a method, in steps: none takes long, and none holds the rows of the others.
struct MethodReassessment {
    static let step = 1000
    let captures: any MethodCaptures

    /// - Returns: how many captures are to be assessed again.
    func request(by method: String) async throws -> Int {
        let retry = StartupRetry(dependency: "PostgreSQL")
        var requested = 0
        var last: UUID?
        while let step = try await retry({ try await captures.request(by: method, after: last, limit: Self.step) }) {
            requested += step.requested
            last = step.last
        }
        return requested
    }
}
