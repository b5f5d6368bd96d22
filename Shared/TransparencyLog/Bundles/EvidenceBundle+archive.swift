import CaptureProtocol

extension EvidenceBundle {
    /// Reads a bundle.
    /// - Throws: ``BundleError`` for anything that ``bytes()`` would not have written.
    public init(_ bytes: [UInt8]) throws(BundleError) {
        var reader = EntryReader(try StoredArchive(bytes))
        let type = BundleEntry.type
        guard try reader.required(.init(type.name, atMost: type.content.count)) == type.content else {
            throw BundleError(.content, "\(type.name) names another format")
        }
        readme = try reader.next(BundleEntry.readme)
        policy = try reader.next(BundleEntry.policy)
        statements = [try Logged(0, &reader, try reader.required(BundleEntry.statement(0)))]
        while let statement = try reader.next(BundleEntry.statement(statements.count)) {
            statements.append(try Logged(statements.count, &reader, statement))
        }
        manifest = try reader.next(BundleEntry.manifest)
        media = [:]
        var last = ""
        while let file = try reader.nextMedia() {
            // Ascending, so that no name stands twice.
            guard last.utf8.lexicographicallyPrecedes(file.name.utf8) else {
                throw BundleError(.names, "the files in \(BundleEntry.mediaFolder) are out of order")
            }
            media[file.name] = file.content
            last = file.name
        }
        owner = try OwnerParts(&reader)
        try reader.end()
    }

    /// The archive.
    /// - Throws: ``BundleError`` if there is no statement, if evidence and verdicts do not go together, if a file's name is not one of a
    /// published file, or if something is larger than readers accept.
    public func bytes() throws(BundleError) -> [UInt8] { try archive(with: nil).bytes }

    /// The archive before and after the content of a file that is not in memory; ``media`` has to be empty.
    /// - Throws: as ``bytes()``.
    public func bytes(around file: BundledFile) throws(BundleError) -> (head: [UInt8], tail: [UInt8]) {
        let parts = try archive(with: file).parts
        guard parts.count == 2 else { throw BundleError(.names, "there is no place for the file") }
        return (parts[0], parts[1])
    }

    private func archive(with file: BundledFile?) throws(BundleError) -> StoredArchive {
        var writer = EntryWriter()
        try writer.add(.init(BundleEntry.type.name, atMost: BundleEntry.type.content.count), BundleEntry.type.content)
        try writer.add(BundleEntry.readme, readme)
        try writer.add(BundleEntry.policy, policy)
        guard !statements.isEmpty else { throw BundleError(.names, "there is no statement") }
        for (index, logged) in statements.enumerated() {
            guard (logged.evidence != nil) == (logged.statement.verdict != nil) else {
                throw BundleError(.names, "\(BundleEntry.evidence(index).name) and a verdict do not go together")
            }
            try writer.add(BundleEntry.statement(index), logged.statement.bytes)
            try writer.add(BundleEntry.evidence(index), logged.evidence)
            try writer.add(BundleEntry.proof(index), logged.proof)
            try writer.add(BundleEntry.timestamp(index), logged.timestamp)
        }
        try writer.add(BundleEntry.manifest, manifest)
        if let file {
            guard media.isEmpty, Verdict.isFileName(file.name) else { throw BundleError(.names, "a file has no place or no name") }
            try writer.add(BundleEntry.media(file.name), outside: file)
        }
        for name in media.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard Verdict.isFileName(name) else { throw BundleError(.names, "a file does not have the name of a published file") }
            try writer.add(BundleEntry.media(name), media[name])
        }
        try owner?.write(to: &writer)
        return try StoredArchive(writer.entries)
    }
}

extension EvidenceBundle.Logged {
    init(_ index: Int, _ reader: inout EntryReader, _ statement: [UInt8]) throws(BundleError) {
        do throws(BundleError) {
            self.statement = try Statement(bytes: statement)
        } catch {
            throw BundleError(error.code, "\(BundleEntry.statement(index).name) \(error.message)")
        }
        evidence = self.statement.verdict == nil ? nil : try reader.required(BundleEntry.evidence(index))
        proof = try reader.required(BundleEntry.proof(index))
        timestamp = try reader.next(BundleEntry.timestamp(index))
    }
}

extension EvidenceBundle.OwnerParts {
    /// - Returns: `nil` if a public bundle ends here.
    init?(_ reader: inout EntryReader) throws(BundleError) {
        guard let raw = try reader.next(BundleEntry.raw) else { return nil }
        do throws(BundleError) {
            self.raw = try RawParts(json: raw)
        } catch {
            throw BundleError(error.code, "\(BundleEntry.raw.name) \(error.message)")
        }
        assertion = try reader.next(BundleEntry.assertion)
        attestation = try reader.next(BundleEntry.attestation)
        if let hash = try reader.next(BundleEntry.clientDataHash) {
            clientDataHash = ContentDigest(bytes: hash)
            guard clientDataHash != nil else { throw BundleError(.content, "\(BundleEntry.clientDataHash.name) is not 32 bytes") }
        }
        signed =
            if let metadata = try reader.next(BundleEntry.metadata) {
                .metadata(metadata)
            } else if let payload = try reader.next(BundleEntry.payload) {
                .payload(payload)
            } else {
                nil
            }
        photo = try reader.next(BundleEntry.photo)
        depth = try reader.next(BundleEntry.depth)
    }

    func write(to writer: inout EntryWriter) throws(BundleError) {
        try writer.add(BundleEntry.raw, raw.json)
        try writer.add(BundleEntry.assertion, assertion)
        try writer.add(BundleEntry.attestation, attestation)
        try writer.add(BundleEntry.clientDataHash, clientDataHash?.bytes)
        switch signed {
        case .metadata(let bytes)?: try writer.add(BundleEntry.metadata, bytes)
        case .payload(let bytes)?: try writer.add(BundleEntry.payload, bytes)
        case nil: break
        }
        try writer.add(BundleEntry.photo, photo)
        try writer.add(BundleEntry.depth, depth)
    }
}
