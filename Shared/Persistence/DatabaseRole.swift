/// Login roles of the cluster. Requires a user who may create and alter roles.
extension PostgresConnection {
    /// Creates a role, which can log in once it has a password, unless it exists.
    /// - Returns: whether it was created now.
    /// - Throws: ``PostgresError``.
    public func createRole(_ role: String) throws -> Bool {
        guard try query("SELECT FROM pg_roles WHERE rolname = \(role)").isEmpty else { return false }
        let name = try quotedIdentifier(role)
        do {
            try execute(script: "CREATE ROLE \(name) LOGIN")
        } catch let error as PostgresError where error.sqlState == "42710" || error.isUniqueViolation {
            // Created by another session at the same moment.
            return false
        }
        return true
    }

    /// Sets a role's password. Neither the password nor its verifier appears in a statement that the server could log, or in an error.
    /// - Throws: ``PostgresError``.
    public func setPassword(of role: String, to password: String) throws {
        guard !password.utf8.contains(0), !role.utf8.contains(0) else {
            throw PostgresError(code: .query, message: "NUL in a role's name or password")
        }
        let verifier = try passwordVerifier(of: role, password: password)
        // ALTER ROLE takes no parameters, so a DO block builds it from settings. It raises errors anew, since the original report would
        // quote the statement.
        try query("SELECT set_config('rial.role', \(role), false), set_config('rial.verifier', \(verifier), false)")
        defer { try? execute(script: "RESET rial.verifier") }
        try execute(
            script: """
                DO $$ BEGIN
                    EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L', current_setting('rial.role'), current_setting('rial.verifier'));
                EXCEPTION WHEN OTHERS THEN
                    RAISE EXCEPTION USING ERRCODE = SQLSTATE, MESSAGE = SQLERRM;
                END $$
                """)
    }
}
