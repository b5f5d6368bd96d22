import Foundation
import Models

/// The page of one capture, in whatever state it is.
struct VerifyPage: Sendable {
    let facts: CaptureFacts
    let similar: SimilarView?
    let words: WordTable
    let publicURL: String
    private let formats: Formats
    private let photo: PhotoView

    init(_ facts: CaptureFacts, similar: SimilarView?, words: WordTable, publicURL: String) {
        self.facts = facts
        self.similar = similar
        self.words = words
        self.publicURL = publicURL
        formats = Formats(words: words)
        photo = PhotoView(media: facts.media)
    }

    var path: String { "/verify/\(facts.id)" }
    private var address: String { publicURL + path }
    private var isDevelopment: Bool { facts.evidence?.hardwareAttestation.developmentAttestation ?? facts.isDevelopment }
    private var complete: (evidence: EvidencePackage, confidence: ConfidenceLevel)? {
        guard facts.status == .complete, let evidence = facts.evidence, let confidence = facts.confidence else { return nil }
        return (evidence, confidence)
    }

    /// Whether there is a result, and no signature covers time, place and model.
    private var isUnsigned: Bool { complete.map { !$0.evidence.hardwareAttestation.coversMetadata } ?? false }

    private var badge: Badge {
        if let complete { return .level(complete.confidence, test: isDevelopment) }
        return facts.status == .failed ? .failed : .processing
    }

    /// - Parameter isIndexed: whether search engines may list it.
    func page(isIndexed: Bool) -> Page {
        let comparesFiles = complete != nil && facts.kind.mode == .hashOnly
        return Page(
            template: .verify, type: facts.kind.type, title: title, path: path, isIndexed: isIndexed && complete != nil,
            // A record that is still being checked may turn into one that compares files, under the policy it was loaded with.
            showsLocalFiles: comparesFiles || badge == .processing, scripts: comparesFiles ? ["verify.js", "file.js"] : ["verify.js"],
            context: context())
    }

    var title: String {
        let title: String
        if let captured = facts.capturedAt {
            title = words(
                isUnsigned ? "title.verify.unsigned" : "title.verify", ["badge": badge.text(words), "date": formats.day(captured.date)])
        } else {
            title = words("title.page", ["page": badge.text(words)])
        }
        return isDevelopment ? words("title.test", ["title": title]) : title
    }

    private func context() -> ViewContext {
        var view: ViewContext = [
            "shape": photo.isWide ? "wide" : "tall", "badge": badge.context(words), "with_badges": true, "with_record": true,
            "with_link": true,
            "print": print, "og": openGraph, "oembed": "\(publicURL)/oembed?url=\(LanguageSwitch.query(address))&format=json",
        ]
        if isDevelopment { view["band"] = true }
        if isUnsigned { view["unsigned"] = true }
        view["photo"] = photo.context(words)
        addFacts(to: &view)
        switch badge {
        case .level: addEvidence(to: &view)
        case .processing: addProgress(to: &view)
        case .failed: addFailure(to: &view)
        }
        return view
    }

    private func addFacts(to view: inout ViewContext) {
        switch facts.capturedAt {
        case .exact(let date)?:
            view["captured"] = ["iso": Formats.iso(date), "utc": formats.second(date), "exact": true] as ViewContext
        case .day(let date)?:
            view["captured"] = ["iso": Formats.isoDay(date), "utc": formats.day(date), "exact": false] as ViewContext
        case nil: break
        }
        view["received"] = received
        if let place = UntrustedText(facts.evidence?.metadata.locationCoarse) {
            view["place"] = words.phrase("fact.city", "city", place).context
        } else if facts.evidence == nil, facts.hasPlace {
            // It came with one, which has not been looked up yet.
            view["place"] = Phrase(before: "—", value: "", after: "").context
        }
        if let model = UntrustedText(facts.evidence?.hardwareAttestation.deviceModel ?? facts.model) {
            view["device"] = words.phrase("fact.reported", "model", model).context
        }
    }

    /// How long after the capture; the time itself where that is not known.
    private var received: String {
        guard complete != nil, case .exact(let captured)? = facts.capturedAt, captured <= facts.receivedAt else {
            return formats.second(facts.receivedAt)
        }
        let isLate = [.uploadedLate, .uploadedVeryLate].contains(facts.evidence?.metadata.timestamp.reason?.known)
        let span = formats.span(facts.receivedAt.timeIntervalSince(captured))
        return words(isLate ? "fact.later.offline" : "fact.later", ["t": span])
    }

    private func addEvidence(to view: inout ViewContext) {
        guard let (evidence, confidence) = complete else { return }
        let checks = CheckRows(
            evidence: evidence, confidence: confidence, capturedAt: facts.capturedAt, pictureSize: photo.originalSize, words: words)
        let rows = checks.rows()
        view["h1"] =
            Headline(
                evidence: evidence, confidence: confidence, mode: facts.kind.mode, failed: rows.filter { $0.status == .fail }.map(\.check),
                words: words
            ).text
        view["note"] = words("note")
        var more: [String] = []
        // Without any signature the sentence above says so.
        if isUnsigned, evidence.hardwareAttestation.status == .pass { more.append(words("note.unsigned")) }
        if confidence == .suspicious { more.append(words("note.suspicious")) }
        if !more.isEmpty { view["more"] = more }
        view["evidence"] = ["tally": CheckRow.tally(rows, words), "rows": rows.map { $0.context(words) }] as ViewContext
        view["depth"] =
            DepthView(
                depth: evidence.depthAnalysis, picture: photo.picture == nil ? nil : facts.media[.depthPreview],
                expectsPicture: facts.kind.mode == .full, isModelConfirmed: evidence.metadata.model.status == .pass, words: words
            ).context()
        view["credentials"] = CredentialsView(facts: facts, credentials: evidence.contentCredentials, words: words).context()
        view["similar"] = similar?.context(of: facts.id)
        if facts.kind.mode == .hashOnly { addHash(evidence, to: &view) }
    }

    private func addHash(_ evidence: EvidencePackage, to view: inout ViewContext) {
        let digest = facts.mediaHash.hex
        let isSigned = evidence.hardwareAttestation.status == .pass
        view["hash"] =
            [
                "lines": (0..<4).map { String(digest.dropFirst($0 * 16).prefix(16)) }, "compare": digest, "device_known": isSigned,
                "depth_known": isSigned && evidence.depthAnalysis.verdict != nil
                    && evidence.hardwareAttestation.binding?.coversDepth == true,
            ] as ViewContext
        view["with_hash"] = true
        view["with_file"] = true
    }

    private func addProgress(to view: inout ViewContext) {
        view["h1"] = words("proc.h1")
        view["note"] = words("proc.note")
        view["reload"] = path
        view["events"] = "/api/v1/captures/\(facts.id)/events"
        if facts.kind.mode == .full, photo.picture == nil {
            view["waiting"] = true
            view["with_camera"] = true
        }
        let steps = [
            ("received", "proc.received", true), ("hardware_attestation", "proc.signature", facts.finished.contains(.attestation)),
            ("depth_analysis", "proc.depth", facts.finished.contains(.depth)), ("evidence", "proc.credentials", false),
        ]
        view["steps"] =
            ["items": steps.map { ["step": $0.0, "word": words($0.1), "done": $0.2] as ViewContext }] as ViewContext
    }

    private func addFailure(to view: inout ViewContext) {
        let reason =
            switch facts.failure?.known {
            case .originalMissing: "failed.photo"
            case .depthUnreadable: "failed.depth"
            case .undecodable, .tombstone, .noEventID, .handlingFailed, .processDied, .captureUnknown, .captureUnreadable, .deviceUnknown,
                .intakeMissing, .registrationUnknown, .registrationUnreadable, .pictureMissing, .digestMismatch, .metadataUnreadable, nil:
                "failed.ours"
            }
        view["h1"] = words("failed.h1")
        view["note"] = words("failed.note", ["reason": words(reason)])
        view["more"] = [words("failed.todo")]
    }

    private var print: ViewContext {
        var digests: [ViewContext] = [["name": words("cc.digest.original"), "digest": facts.mediaHash.hex]]
        if let copy = facts.media[.signedCopy] { digests.append(["name": words("cc.digest.copy"), "digest": copy.sha256.hex]) }
        return ["url": address, "digests": digests]
    }

    private var openGraph: ViewContext {
        // While there is no result the card says nothing of one, and lies elsewhere: caches keep pictures longer than pages.
        let card = facts.media[.shareCard]?.link ?? SitePages.neutralCard
        return [
            "og_type": "article", "title": title, "description": words("site.description"), "og_url": address,
            "og_locale": words.language.openGraph,
            "og_image": ["src": publicURL + card, "alt": badge.text(words)] as ViewContext,
        ]
    }
}
