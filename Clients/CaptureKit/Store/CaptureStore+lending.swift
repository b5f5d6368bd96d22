extension CaptureStore {
    /// Writes a body to a plain file: recorded before it is written, so that it is found after any interruption.
    /// - Returns: the path of the file.
    func lend(_ body: any HTTPBody, as name: String, of id: LocalID) async throws -> String {
        try await takeBack(name)
        try await database.lend(name, of: id)
        failPoints.reached("store.lent")
        do {
            try await bodies.write(body, as: name)
        } catch {
            try? await takeBack(name)
            throw error
        }
        failPoints.reached("store.lent-written")
        return bodies.path(of: name)
    }

    /// Deletes a lent body. Does nothing if there is none.
    func takeBack(_ name: String) async throws {
        try removeBody(name)
        try await endLoan(of: name)
    }

    func removeBody(_ name: String) throws {
        try bodies.remove(name)
        failPoints.reached("store.lent-removed")
    }

    func endLoan(of name: String) async throws {
        try await database.endLoan(of: name)
        failPoints.reached("store.loan-ended")
    }

    /// Deletes all lent bodies, at the start of the process that sends: the tasks that they were lent to are reported again by the system,
    /// and signed and lent again.
    func returnLentBodies() async throws {
        for name in Set(try await database.lentBodies()).union(try bodies.names()) { try await takeBack(name) }
    }
}
