import Foundation
import Logging
public import Persistence
public import Testing

/// Gives the tests of a suite one schema with the product's tables, as ``TestSchema/shared``: they use rows of their own.
public struct SharedSchema: SuiteTrait, TestScoping {
    public let isRecursive = false
    let prefix: String

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard TestSchema.isConfigured else { return try await function() }
        try await TestSchema.withPools(prefix: prefix) { pools in
            try await TestSchema.$shared.withValue(pools.first) { try await function() }
        }
    }
}

extension Trait where Self == SharedSchema {
    /// - Parameter prefix: begins the schema's name; a letter first, no capitals.
    public static func sharedSchema(_ prefix: String) -> SharedSchema { SharedSchema(prefix: prefix) }
}

extension TestSchema {
    /// Leads to the schema of the suite that runs; `nil` without a server.
    @TaskLocal public static var shared: PostgresPool?
}
