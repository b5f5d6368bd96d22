/// What is kept of an unfinished upload with its capture, sealed, so that it goes on after any break.
package struct KeptUpload: Sendable, Equatable, Codable {
    /// `nil` while the upload begins anew.
    var address: UploadAddress?
    /// The body's.
    let lengthBytes: Int64
    /// What the server was last known to have.
    var storedBytes: Int64 = 0
    /// How often the server found another digest at the end.
    var mismatches = 0
}
