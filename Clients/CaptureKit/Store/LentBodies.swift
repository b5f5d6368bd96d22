/// Plain files with a whole request body, lent to the system for an upload in the background, which takes only files.
///
/// The only plain content on disk: recorded before it is written, deleted when its task ends and at every start.
struct LentBodies: Sendable {
    let folder: String
    let layer: any FileLayer

    func path(of name: String) -> String { folder + "/" + name }

    func write(_ body: any HTTPBody, as name: String) async throws {
        let file = try layer.create(path(of: name))
        let reader = try body.makeReader()
        while let piece = try await reader.next() { try file.write(piece) }
        try file.sync()
        try layer.syncFolder(folder)
    }

    func remove(_ name: String) throws {
        try layer.remove(path(of: name))
        try layer.syncFolder(folder)
    }

    /// The files that are there.
    func names() throws -> [String] { try layer.names(in: folder) }
}
