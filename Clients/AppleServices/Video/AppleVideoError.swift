/// Why the camera or an encoder cannot go on.
public enum AppleVideoError: Error, Sendable, Equatable {
    /// An `OSStatus` of VideoToolbox or Core Media.
    case status(Int32)
    /// The encoder's samples have another form than `avcC`, `hvcC` or AAC in packets.
    case unexpectedFormat
    /// An error of AVFAudio or ARKit, with a text for the log.
    case failed(String)

    /// - Parameter status: an `OSStatus`.
    static func check(_ status: Int32) throws(AppleVideoError) {
        // noErr.
        guard status == 0 else { throw .status(status) }
    }
}
