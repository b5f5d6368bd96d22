public import CaptureProtocol

/// The folder of one recording: what is written while it goes on, and then the parts of its upload.
public struct RecordingFolder: Sendable {
    /// Absolute.
    public let path: String
    let files: any FileLayer
    let isQuickTime: Bool

    /// - Parameter path: absolute; the folder's parent must exist.
    public init(_ path: String, files: any FileLayer, isQuickTime: Bool = false) {
        self.path = path
        self.files = files
        self.isQuickTime = isQuickTime
    }

    public var video: String { path + (isQuickTime ? "/video.mov" : "/video.mp4") }
    public var depth: String { path + "/depth.gz" }
    public var hashChain: String { path + "/hash-chain.json" }
    public var metadata: String { path + "/metadata.json" }
    public var assertion: String { path + "/assertion.cbor" }
    /// There while the recording is not finished.
    public var journal: String { path + "/journal" }

    /// Writes a whole file, in place of what was there.
    func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        try files.remove(path + ".new")
        let file = try files.create(path + ".new")
        try file.write(bytes)
        try file.sync()
        try files.rename(path + ".new", to: path)
    }

    /// A whole file that fits into memory.
    func read(_ path: String) throws(FileError) -> [UInt8] {
        let file = try files.open(path)
        return try file.read(Int(clamping: try file.sizeBytes), at: 0)
    }
}

/// What a recording has become.
public struct RecordedVideo: Sendable, Equatable {
    public let frameCount: Int
    public let soundFrames: Int
    public let depthCount: Int
    public let checkpoints: [VideoCheckpoint]
    public let durationMilliseconds: Int64
    /// Whether the end was signed.
    public let isSigned: Bool
    /// Whether it was cut off.
    public let isPartial: Bool
}

/// Why a recording could not be made or recovered.
public enum RecordingError: Error, Sendable, Equatable {
    /// No picture came out of the encoder.
    case empty
    /// The first sample came without a description of the format.
    case noFormat
    /// The metadata of the recording are larger than 8 KiB, or a depth map has another size than the first.
    case invalidInput
}
