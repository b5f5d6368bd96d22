import Foundation
import Persistence
import Pipeline

/// Passwords of the services' database roles, one file each, named after the role.
struct RolePasswords {
    private let passwords: [(role: String, password: String)]

    var roles: [String] { passwords.map(\.role) }

    /// Reads the files of the roles that have one.
    init(folder: URL) throws {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard let files else { throw CommandFailure("RIAL_ROLE_PASSWORDS_DIR names a folder that cannot be read: \(folder.path)") }
        passwords = try ServiceName.allCases.map { "rial_" + $0.tablePrefix }.filter(files.contains).map { role in
            let text = (try? String(contentsOf: folder.appendingPathComponent(role), encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
            guard let text, !text.isEmpty, !text.utf8.contains(0) else {
                throw CommandFailure("The password file of \(role) in \(folder.path) cannot be read or is empty.")
            }
            return (role, text)
        }
    }

    /// Sets the passwords; doing so again changes nothing.
    func apply(url: String) async throws {
        let connection = try await PostgresConnection.connect(url: url, applicationName: "rial-migrate")
        do {
            for (role, password) in passwords {
                // ALTER ROLE takes no parameters: the server itself quotes them.
                let rows = try await connection.query(
                    "SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', \(role), \(password)) AS statement")
                for row in rows { try await connection.execute(script: row.get("statement")) }
            }
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }
}
