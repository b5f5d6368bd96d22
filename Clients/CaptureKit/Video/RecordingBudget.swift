import CaptureProtocol

/// How many bytes of a recording's file are left. A larger one the server would refuse for ever, and in privacy mode nobody could verify it.
struct RecordingBudget: Sendable {
    /// Of the file, at most: depth data may take all of theirs besides.
    static let fileBytes = min(
        SizeLimits.videoPart,
        SizeLimits.videoCapture - SizeLimits.depthData - SizeLimits.hashChain - 2 * SizeLimits.metadata)
    /// What the file has beside the samples and their tables, at most: `ftyp`, the headers of `moov`, and what describes the formats, which
    /// is some hundred bytes.
    static let fixedBytes = 64 << 10
    /// What a sample adds to the file beside its bytes, at most: the header of its `mdat` (8), and an entry of its own in `stts` (8),
    /// `ctts` (8), `stss` (4), `stsz` (4) and `stco` (4).
    static let bytesPerSample = 36

    private var left: Int
    /// Whether a sample did not fit. None is taken any more then: the file ends before it in both tracks.
    private(set) var isFull = false

    /// - Parameter bytes: of the whole file, at most.
    init(bytes: Int = Self.fileBytes) { left = bytes - Self.fixedBytes }

    /// - Returns: whether the sample becomes part of the file.
    mutating func take(_ sample: EncodedSample) -> Bool {
        left -= sample.bytes.count + Self.bytesPerSample
        isFull = isFull || left < 0
        return !isFull
    }
}
