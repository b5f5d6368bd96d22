import Foundation
import Persistence
import TestSupport
import Testing

@testable import RialCLI

@Suite("Passwords of database roles", .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct RolePasswordTests {
    /// Provides a new role, which is dropped afterwards.
    private func withRole(_ body: (_ owner: PostgresConnection, _ role: String) async throws -> Void) async throws {
        let server = try #require(TestSchema.serverURL)
        let owner = try await PostgresConnection.connect(url: server, applicationName: "tests")
        let role = "test_role_" + UUID().uuidString.lowercased().replacing("-", with: "")
        #expect(try await owner.createRole(role))
        var failure: (any Error)?
        do { try await body(owner, role) } catch { failure = error }
        try await owner.execute(script: "DROP ROLE \(role)")
        await owner.close()
        if let failure { throw failure }
    }

    /// The test server's URL with another login.
    private func url(as role: String, _ password: String) throws -> String {
        let server = try #require(TestSchema.serverURL)
        var components = try #require(URLComponents(string: server))
        components.user = role
        components.password = password
        return try #require(components.string)
    }

    @Test("let the role log in, and are kept as a SCRAM verifier")
    func sets() async throws {
        try await withRole { owner, role in
            let server = try #require(TestSchema.serverURL)
            for password in ["first", "it's \"quoted\" ñ"] {
                try await RolePasswords([(role, password)]).apply(url: server)
                let connection = try await PostgresConnection.connect(url: url(as: role, password), applicationName: "tests")
                await connection.close()
            }
            let stored = try await owner.query("SELECT rolpassword FROM pg_authid WHERE rolname = \(role)")
            let verifier = try #require(stored.first)
            #expect(try verifier.get("rolpassword", as: String.self).hasPrefix("SCRAM-SHA-256$"))
            #expect(try await !owner.createRole(role))
        }
    }

    @Test("appear in no error when the owner may not set them")
    func refused() async throws {
        try await withRole { owner, role in
            let secret = "THE-SECRET-" + UUID().uuidString
            try await owner.setPassword(of: role, to: "own")
            do {
                // As a role without the right to alter other roles.
                try await RolePasswords([("rial_gateway", secret)]).apply(url: url(as: role, "own"))
                Issue.record("a role without rights set a password")
            } catch let error as PostgresError {
                #expect(error.sqlState == "42501" || error.sqlState == "42704")
                for text in [error.message, "\(error)", String(reflecting: error)] {
                    #expect(!text.contains(secret) && !text.contains("SCRAM-SHA-256$"), "\(text.prefix(40))…")
                }
            }
        }
    }

    @Test("create missing roles once")
    func missing() async throws {
        let url = try #require(TestSchema.serverURL)
        _ = try await ServiceRoles.createMissing(url: url)
        #expect(try await ServiceRoles.createMissing(url: url).isEmpty)
    }
}
