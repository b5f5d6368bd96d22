import Foundation
import Logging
public import Persistence
public import Testing

/// Gives the tests of a suite one common schema with the product's tables, as ``TestSchema/shared``: each test uses its own rows.
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
    /// - Parameter prefix: the start of the schema's name; begins with a letter, without capitals.
    public static func sharedSchema(_ prefix: String) -> SharedSchema { SharedSchema(prefix: prefix) }
}

extension TestSchema {
    /// The connection pool for the schema of the running suite; `nil` without a server.
    @TaskLocal public static var shared: PostgresPool?
}
