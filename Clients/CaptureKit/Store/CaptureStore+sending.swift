extension CaptureStore {
    /// The file of the lock that every process shares while it records an answer to an upload of the system: its capture is `uploading`
    /// then, although it is not sent by the process that sends.
    var answerLock: String { folder + "/answer.lock" }

    /// Makes captures wait again that are `uploading` although nobody sends them. For the process that sends, while it sends none.
    /// - Returns: false, with nothing changed, while somebody records an answer.
    @discardableResult
    func resetUploading() async throws -> Bool {
        guard let lock = try FileLock.tryLock(answerLock) else { return false }
        defer { lock.unlock() }
        try await database.resetUploading()
        return true
    }
}
