import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import TransparencyLog

/// Makes the evidence bundles of captures from what PostgreSQL and the store have (SPEC §14 "Bundle"). Every proof is verified before it is
/// handed out.
struct BundleMaker: Sendable {
    let log: any LogReading
    let finder: CheckpointFinder
    let tiles: LogTiles
    let objects: any MediaObjectRepository
    /// The trust policy, which a bundle has as a hint.
    let policy: TrustPolicy
    let publicURL: String

    /// A proof does not verify, although the log is published: tiles or rows are damaged.
    struct Damaged: Error {
        let detail: String
    }

    /// - Parameter isOwned: whether the owner asks, who also gets what the hardware signed.
    /// - Returns: the bundle without media, and those that may be added: the public copy with Content Credentials if there is one, else the
    ///   one without.
    /// - Throws: ``NotLogged``; ``Damaged``; `WithdrawnCapture`; what the database and the store throw.
    func bundle(of capture: CaptureRow, isOwned: Bool, at now: Date) async throws -> (bundle: EvidenceBundle, media: NamedMedia?) {
        switch capture.status {
        case .processing: throw NotLogged(.processing, at: now)
        // What is withdrawn has no row.
        case .failed, .withdrawn: throw NotLogged(.failed, at: now)
        case .complete: break
        }
        let stored = try await log.statements(of: capture.id)
        guard !stored.isEmpty else { throw try await waiting(at: now) }
        var logged: [EvidenceBundle.Logged] = []
        for statement in stored { logged.append(try await prove(statement, at: now)) }
        var bundle = EvidenceBundle(statements: logged, readme: BundleReadme.text(capture.id, publicURL: publicURL))
        bundle.policy = policy.bytes.count <= Self.maximumPolicyBytes ? policy.bytes : nil
        guard let last = stored.last(where: { $0.statement.verdict != nil }), let verdict = last.statement.verdict else {
            throw Damaged(detail: "no statement has a verdict")
        }
        bundle.manifest = try await manifest(verdict, of: capture.id)
        if isOwned { bundle.owner = try await owner(last, of: capture.id) }
        return (bundle, try await media(verdict, of: capture.id))
    }

    /// A bundle has no larger policy.
    private static let maximumPolicyBytes = 64 << 10

    private func prove(_ stored: StoredStatement, at now: Date) async throws -> EvidenceBundle.Logged {
        guard let place = stored.placed.place, place.isPublished else {
            if let notBefore = stored.placed.notBefore, notBefore > now { throw NotLogged(.held, until: notBefore, at: now) }
            throw try await waiting(at: now)
        }
        guard let found = try await finder.best(for: place) else {
            throw NotLogged(place.shard.isFrozen ? .frozen : .unwitnessed, at: now)
        }
        let checkpoint = found.checkpoint
        // A tree that grew after the place was read is published as well.
        let shard = PublishedShard(
            origin: place.shard.origin, name: place.shard.name, size: max(place.shard.size, checkpoint.size), isFrozen: place.shard.isFrozen
        )
        do {
            let inclusion = try await tiles.inclusion(of: place.index, size: checkpoint.size, in: shard)
            let head = try Checkpoint(text: checkpoint.note.text).head
            guard head.size == checkpoint.size, inclusion.proves(stored.statement.leaf(salt: stored.salt).hash, at: place.index, in: head)
            else { throw Damaged(detail: "entry \(place.index) of \(shard.origin) is not in its tree") }
            let proof = try TransparencyProof(extra: stored.salt.bytes, index: place.index, inclusion: inclusion, note: checkpoint.note)
            return EvidenceBundle.Logged(
                statement: stored.statement, evidence: stored.evidence, proof: proof.bytes, timestamp: checkpoint.token)
        } catch let error as TransparencyLogError {
            throw Damaged(detail: "entry \(place.index) of \(shard.origin): \(error)")
        }
    }

    /// What a statement without an entry waits for.
    private func waiting(at now: Date) async throws -> NotLogged {
        NotLogged(try await log.intake() == .frozen ? .frozen : .pending, at: now)
    }

    private func manifest(_ verdict: Verdict, of capture: CaptureID) async throws -> [UInt8]? {
        guard let object = try await named([.manifest], verdict, of: capture) else { return nil }
        return try await tiles.store.read(object.media)
    }

    private func media(_ verdict: Verdict, of capture: CaptureID) async throws -> NamedMedia? {
        let names =
            switch verdict.kind.type {
            case .photo: MediaName.publicCopies
            case .video: MediaName.publicVideos
            }
        return try await named(names, verdict, of: capture)
    }

    /// The first of these objects that there is and that the verdict names.
    private func named(_ names: [MediaName], _ verdict: Verdict, of capture: CaptureID) async throws -> NamedMedia? {
        for name in names {
            guard let digest = verdict.files[name.rawValue], let media = try await objects.find(capture, name)?.media,
                media.sha256 == digest
            else { continue }
            return NamedMedia(name: name, media: media)
        }
        return nil
    }

    private func owner(_ last: StoredStatement, of capture: CaptureID) async throws -> EvidenceBundle.OwnerParts? {
        guard let raw = last.raw, let owned = try await log.owned(capture) else { return nil }
        // What the statement does not commit to, such as an attestation that an earlier version did not hash, is left out.
        let committed: (RawParts.Name, [UInt8]?) -> [UInt8]? = { name, bytes in
            bytes.flatMap { raw.digests[name] == ContentDigest(of: $0) ? $0 : nil }
        }
        let attestation = committed(.attestation, owned.attestation)
        let signed: EvidenceBundle.OwnerParts.Signed? =
            switch owned.kind.mode {
            case .full: committed(.metadata, owned.metadata).map { .metadata($0) }
            case .hashOnly: committed(.payload, owned.metadata).map { .payload($0) }
            }
        return EvidenceBundle.OwnerParts(
            raw: raw, assertion: committed(.assertion, owned.assertion), attestation: attestation,
            clientDataHash: attestation == nil ? nil : owned.clientDataHash,
            signed: signed)
    }
}

/// A published object under its name.
struct NamedMedia: Sendable, Equatable {
    let name: MediaName
    let media: StoredMedia
}

/// The words for whoever unpacks a bundle.
enum BundleReadme {
    static func text(_ capture: CaptureID, publicURL: String) -> [UInt8] {
        Array(
            """
            This is an evidence bundle of rial.: what was found out about one photo or video, and proof that it stood in a public log.

              */statement.json      what was stated, one after the other; the last verdict counts, unless it was taken back
              */evidence.json       the checks behind a verdict
              */proof.tlog-proof    that the statement is in the log, and who witnessed the log (c2sp.org/tlog-proof)
              */checkpoint.tsr      when, by a time-stamp authority (RFC 3161)
              policy                the log and the witnesses that its maker trusts: only a hint, take yours from elsewhere

            To verify it without a network:  rial verify --bundle FILE --policy POLICY
            or with the page \(publicURL)/bundle, which also works when it was saved to disk.

            The capture: \(publicURL)\(PagePath.capture(capture))

            """.utf8)
    }
}
