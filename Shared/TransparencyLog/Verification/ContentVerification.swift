import CaptureProtocol

/// The checks of what stands beside the statements: files, Content Credentials, and what the owner adds.
struct ContentVerification {
    private let bundle: EvidenceBundle
    private let verdict: Verdict
    private let evidence: [UInt8]
    private let storeSeenAt: UInt64?
    /// Those of the bundle under their names there.
    private let bundledFiles: [GivenFile]

    /// - Parameters:
    ///   - verdict: the last one.
    ///   - evidence: of that verdict.
    ///   - storeSeenAt: when witnesses first saw a statement that names the manifest store of that verdict.
    init(_ bundle: EvidenceBundle, _ verdict: Verdict, evidence: [UInt8], storeSeenAt: UInt64?) {
        self.bundle = bundle
        self.verdict = verdict
        self.evidence = evidence
        self.storeSeenAt = storeSeenAt
        let media = bundle.media.sorted { $0.key < $1.key }.map { GivenFile(name: $0.key, bytes: $0.value) }
        bundledFiles = media + [bundle.manifest].compactMap { $0.map { GivenFile(name: BundleEntry.manifest.name, bytes: $0) } }
    }

    func checks(_ files: [GivenFile], _ examiners: BundleExaminers) async -> [BundleReport.Check] {
        var checks = fileChecks(files)
        if let finding = await credentials(files, examiners) { checks.append(.init(.contentCredentials, finding)) }
        if let owner = bundle.owner {
            checks += await OwnerVerification(owner, verdict, evidence: evidence).checks(examiners)
        }
        return checks
    }

    /// Each file by its bytes, whatever it is called; those of the bundle under the name that they have there.
    private func fileChecks(_ files: [GivenFile]) -> [BundleReport.Check] {
        var checks = files.map { file -> BundleReport.Check in
            guard let name = name(of: file.digest) else {
                return .init(.file, .failed("\(file.name) is not a file that the verdict names."))
            }
            return .init(.file, .passed("\(file.name) is the \(name) that the verdict names."))
        }
        for file in bundledFiles {
            let isNamed = verdict.files[file.name] == file.digest
            checks.append(
                .init(
                    .file,
                    Finding(
                        isNamed, "\(file.name) of the bundle is what the verdict names.",
                        else: "\(file.name) of the bundle is not what the verdict names.")))
        }
        if files.isEmpty && bundle.media.isEmpty {
            checks.append(.init(.file, .notChecked("No photo or video was compared with the verdict.")))
        }
        return checks
    }

    private func name(of digest: ContentDigest) -> String? {
        digest == verdict.media ? "original" : verdict.files.filter { $0.value == digest }.keys.min()
    }

    /// - Returns: `nil` if the verdict names no manifest and the bundle has none.
    private func credentials(_ files: [GivenFile], _ examiners: BundleExaminers) async -> Finding? {
        guard verdict.manifest != nil || bundle.manifest != nil else { return nil }
        let named = bundledFiles.filter { verdict.files[$0.name] == $0.digest }
        let store = named.first { $0.name == BundleEntry.manifest.name }?.bytes
        guard bundle.manifest == nil || store != nil else {
            return .notChecked("The Content Credentials were not checked, since they are not what the verdict names.")
        }
        let given = files.compactMap { file in name(of: file.digest).map { ($0, file) } }
            .filter { $0.0.hasPrefix(Self.signedCopy) }.map(\.1)
        let asset = named.first { $0.name.hasPrefix(Self.signedCopy) } ?? given.first { $0.bytes != nil }
        guard let examine = examiners.contentCredentials, store != nil || asset != nil else {
            return .notChecked("The Content Credentials were not checked.")
        }
        return await examine(CredentialsQuestion(store: store, asset: asset, verdict: verdict, witnessedAt: storeSeenAt))
    }

    /// `c2pa.jpg` and `c2pa.mp4`.
    private static let signedCopy = "c2pa."
}
