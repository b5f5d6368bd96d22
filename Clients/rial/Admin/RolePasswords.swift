import Foundation
import Persistence

/// Passwords of the services' database roles, from one file per role, named like the role.
struct RolePasswords {
    private let passwords: [(role: String, password: String)]

    var roles: [String] { passwords.map(\.role) }

    init(_ passwords: [(role: String, password: String)]) { self.passwords = passwords }

    /// Reads the existing files.
    init(folder: URL) throws {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard let files else { throw CommandFailure("RIAL_ROLE_PASSWORDS_DIR names a folder that cannot be read: \(folder.path)") }
        passwords = try ServiceRoles.all.filter(files.contains).map { role in
            let text = (try? String(contentsOf: folder.appendingPathComponent(role), encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
            guard let text, !text.isEmpty, !text.utf8.contains(0) else {
                throw CommandFailure("The password file of \(role) in \(folder.path) cannot be read or is empty.")
            }
            return (role, text)
        }
    }

    /// Sets the passwords. Safe to repeat.
    func apply(url: String) async throws {
        try await ServiceRoles.withConnection(url) { connection in
            for (role, password) in passwords { try await connection.setPassword(of: role, to: password) }
        }
    }
}
