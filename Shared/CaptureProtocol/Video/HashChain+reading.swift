extension SubmittedHashChain {
    private static let part = UploadPart.hashChain.rawValue

    /// Whether the part has the original layout, which has no `version: 2`; also of a part that is refused later.
    public static func isOriginalLayout(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= SizeLimits.hashChain, let members = try? MetadataReader(bytes, document: part) else { return false }
        return !members.isVersionTwo
    }

    /// - Throws: ``MetadataError`` naming the field, or `hash_chain`.
    public static func parse(_ bytes: [UInt8]) throws(MetadataError) -> SubmittedHashChain {
        guard bytes.count <= SizeLimits.hashChain else {
            throw MetadataError(part: .hashChain, "is larger than \(SizeLimits.hashChain >> 10) KiB")
        }
        let reader = try MetadataReader(bytes, document: part, path: part + ".")
        return reader.isVersionTwo ? .chain(try HashChain(reader)) : .original(try OriginalHashChain(reader))
    }
}

extension MetadataReader {
    fileprivate var isVersionTwo: Bool { (try? number(HashChain.Keys.version.rawValue)) == Double(HashChain.version) }

    /// `frame_hashes`, of at least one frame.
    fileprivate func frameHashes() throws(MetadataError) -> [ContentDigest] {
        let name = HashChain.Keys.frameHashes.rawValue
        var hashes: [ContentDigest] = []
        for element in try array(name, atMost: HashChain.frameCounts.upperBound) {
            guard case .string(let text) = element, let hash = ContentDigest(text: text) else {
                throw error(name, "must be SHA-256 values in base64")
            }
            hashes.append(hash)
        }
        guard !hashes.isEmpty else { throw error(name, "must not be empty") }
        return hashes
    }
}

extension HashChain {
    fileprivate init(_ reader: MetadataReader) throws(MetadataError) {
        frameHashes = try reader.frameHashes()
        finalHash = try reader.digest(Keys.finalHash.rawValue)
        soundFrames = try reader.integer(Keys.soundFrames.rawValue, in: Self.soundCounts)
        soundFinalHash = reader.isGiven(Keys.soundFinalHash.rawValue) ? try reader.digest(Keys.soundFinalHash.rawValue) : nil
        var checkpoints: [VideoCheckpoint] = []
        for member in try reader.objects(Keys.checkpoints.rawValue, atMost: Self.maximumCheckpoints) {
            let checkpoint = try VideoCheckpoint(member)
            if let last = checkpoints.last, checkpoint.index <= last.index || checkpoint.frames <= last.frames {
                throw reader.error(Keys.checkpoints.rawValue, "must have ascending index and frames")
            }
            checkpoints.append(checkpoint)
        }
        self.checkpoints = checkpoints
    }
}

extension VideoCheckpoint {
    fileprivate init(_ reader: MetadataReader) throws(MetadataError) {
        index = UInt32(try reader.integer(Keys.index.rawValue, in: 0...1000))
        frames = try reader.integer(Keys.frames.rawValue, in: HashChain.frameCounts)
        hash = try reader.digest(Keys.hash.rawValue)
        soundFrames = try reader.integer(Keys.soundFrames.rawValue, in: HashChain.soundCounts)
        soundHash = reader.isGiven(Keys.soundHash.rawValue) ? try reader.digest(Keys.soundHash.rawValue) : .zero
        assertion = try reader.base64(Keys.assertion.rawValue)
    }
}

extension OriginalHashChain {
    fileprivate init(_ reader: MetadataReader) throws(MetadataError) {
        finalHash = try reader.digest(HashChain.Keys.finalHash.rawValue)
        frameCount = try reader.frameHashes().count
    }
}

extension HashChain: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encode(frameHashes.map { Base64Bytes($0.bytes) }, forKey: .frameHashes)
        try fields.encode(Base64Bytes(finalHash.bytes), forKey: .finalHash)
        try fields.encode(soundFrames, forKey: .soundFrames)
        try fields.encode(soundFinalHash.map { Base64Bytes($0.bytes) }, forKey: .soundFinalHash)
        try fields.encode(checkpoints, forKey: .checkpoints)
    }
}

extension VideoCheckpoint: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(index, forKey: .index)
        try fields.encode(frames, forKey: .frames)
        try fields.encode(Base64Bytes(hash.bytes), forKey: .hash)
        try fields.encode(soundFrames, forKey: .soundFrames)
        try fields.encode(Base64Bytes(soundHash.bytes), forKey: .soundHash)
        try fields.encode(assertion.map(Base64Bytes.init), forKey: .assertion)
    }
}
