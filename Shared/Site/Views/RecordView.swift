import CaptureProtocol
import Foundation
import Models

/// The page of one capture, in any state.
struct RecordView: Sendable {
    let record: PublicRecord
    let similar: SimilarCaptures?
    let strings: StringTable
    let publicURL: String
    private let formatter: ValueFormatter
    private let photo: PhotoView

    init(_ record: PublicRecord, similar: SimilarCaptures?, strings: StringTable, publicURL: String) {
        self.record = record
        self.similar = similar
        self.strings = strings
        self.publicURL = publicURL
        formatter = ValueFormatter(strings: strings)
        photo = PhotoView(media: record.media)
    }

    var path: String { PagePath.capture(record.id) }
    /// `nil` for a photo, and without evidence.
    private var video: VideoView? { record.evidence.flatMap { VideoView(record, $0, strings) } }
    private var address: String { publicURL + path }
    private var isDevelopment: Bool { record.evidence?.hardwareAttestation.developmentAttestation ?? record.isDevelopment }
    private var complete: (evidence: EvidencePackage, confidence: ConfidenceLevel)? {
        guard record.status == .complete, let evidence = record.evidence, let confidence = record.confidence else { return nil }
        return (evidence, confidence)
    }

    /// Whether there is a result, but no signature covers time, place and model.
    private var isUnsigned: Bool { complete.map { !$0.evidence.coversMetadata } ?? false }

    private var badge: Badge {
        if let complete { return Badge(complete.confidence, isRevoked: record.isRevoked, test: isDevelopment) }
        return record.status == .failed ? .failed : .processing
    }

    /// - Parameter isIndexed: whether search engines may list it.
    func page(isIndexed: Bool) -> Page {
        let comparesFiles = complete != nil && !record.kind.mode.storesMedia
        return Page(
            template: .verify, type: record.type, title: title, path: path, isIndexed: isIndexed && complete != nil,
            // A record that is still processing may later offer to compare files, under the content security policy that it was loaded
            // with.
            showsLocalFiles: comparesFiles || badge == .processing, scripts: scripts(comparesFiles: comparesFiles),
            context: context())
    }

    private func scripts(comparesFiles: Bool) -> [String] {
        if comparesFiles { return ["verify.js", "file.js"] }
        return switch record.type {
        case .photo: ["verify.js"]
        case .video: ["verify.js", "film.js"]
        }
    }

    var title: String {
        let title: String
        if let captured = record.capturedAt.date {
            title = strings(
                isUnsigned ? "title.verify.unsigned" : "title.verify", ["badge": badge.text(strings), "date": formatter.day(captured)])
        } else {
            title = strings("title.page", ["page": badge.text(strings)])
        }
        return isDevelopment ? strings("title.test", ["title": title]) : title
    }

    private func context() -> ViewContext {
        var view: ViewContext = [
            "shape": photo.isWide ? "wide" : "tall", "badge": badge.context(strings), "with_badges": true, "with_record": true,
            "with_link": true,
            "print": print, "og": openGraph, "oembed": "\(publicURL)/oembed?url=\(SiteAddress.query(address))&format=json",
        ]
        if isDevelopment { view["band"] = true }
        if isUnsigned { view["unsigned"] = true }
        if let video, let player = video.context() {
            view["video"] = player
            view["shape"] = video.isWide ? "wide" : "tall"
        } else {
            view["photo"] = photo.context(strings)
        }
        addFacts(to: &view)
        switch badge {
        case .level, .takenBack: addEvidence(to: &view)
        case .processing: addProgress(to: &view)
        case .failed: addFailure(to: &view)
        }
        return view
    }

    private func addFacts(to view: inout ViewContext) {
        switch record.capturedAt {
        case .exact(let date):
            view["captured"] = ["iso": ValueFormatter.iso(date), "utc": formatter.second(date), "exact": true] as ViewContext
        case .day(let date):
            view["captured"] = ["iso": ValueFormatter.isoDay(date), "utc": formatter.day(date), "exact": false] as ViewContext
        case .notShared: break
        }
        view["received"] = received
        if let place = UntrustedText(record.evidence?.metadata.locationCoarse) {
            view["place"] = strings.phrase("fact.city", "city", place).context
        } else if record.evidence?.metadata.location.isNotOnEarth == true {
            view["place"] = Phrase(before: strings("loc.fail"), value: "", after: "").context
        } else if record.evidence == nil, record.hasPlace {
            // The capture has a location, but its name has not been looked up yet.
            view["place"] = Phrase(before: "—", value: "", after: "").context
        }
        if let model = UntrustedText(record.evidence?.hardwareAttestation.deviceModel ?? record.model) {
            view["device"] = strings.phrase("fact.reported", "model", model).context
        }
    }

    /// The delay after the capture; the time of receipt, which is ours, if the time of the capture is unknown or was not signed.
    private var received: String {
        guard complete != nil, !isUnsigned, case .exact(let captured) = record.capturedAt, case .exact(let received) = record.receivedAt,
            captured <= received
        else { return formatter.second(record.receivedAt) ?? "—" }
        let isLate = [.uploadedLate, .uploadedVeryLate].contains(record.evidence?.metadata.timestamp.reason?.known)
        let span = formatter.span(received.timeIntervalSince(captured))
        return strings(isLate ? "fact.later.offline" : "fact.later", ["t": span])
    }

    private func addEvidence(to view: inout ViewContext) {
        guard let (evidence, confidence) = complete else { return }
        let checks = CheckRows(
            evidence: evidence, confidence: confidence, capturedAt: record.capturedAt, pictureSize: photo.originalSize, strings: strings)
        let rows = checks.rows()
        view["h1"] =
            record.isRevoked
            ? strings("h1.revoked")
            : Headline(
                evidence: evidence, confidence: confidence, mode: record.kind.mode, failed: rows.filter { $0.status == .fail }.map(\.check),
                strings: strings
            ).text
        view["note"] = strings(record.isRevoked ? "note.revoked" : "note")
        var more: [String] = []
        // If there is no signature at all, the sentence above says so.
        if isUnsigned, evidence.hardwareAttestation.status == .pass { more.append(strings("note.unsigned")) }
        if evidence.partialAttestation?.isPartial == true { more.append(strings("note.partial")) }
        if let before = record.log?.earlier.last {
            more.append(strings("note.again", ["badge": Badge.level(before.confidence, test: false).text(strings)]))
        }
        if confidence == .suspicious { more.append(strings("note.suspicious")) }
        if !more.isEmpty { view["more"] = more }
        view["evidence"] = ["tally": CheckRow.tally(rows, strings), "rows": rows.map { $0.context(strings) }] as ViewContext
        let isSensorConfirmed =
            evidence.coversDepth && evidence.coversMetadata && evidence.metadata.model.status == .pass
            && !evidence.hardwareAttestation.developmentAttestation
        view["depth"] =
            DepthView(
                depth: evidence.depthAnalysis, picture: photo.picture == nil && video == nil ? nil : record.media[.depthPreview],
                expectsPicture: record.kind.mode.storesMedia, isSensorConfirmed: isSensorConfirmed, strings: strings,
                sheet: video?.sheet, duration: evidence.video?.durationMilliseconds ?? 0
            ).context()
        view["credentials"] = CredentialsView(record: record, credentials: evidence.contentCredentials, strings: strings).context()
        view["entry"] = record.log.map { EntryView(log: $0, strings: strings).context(of: record.id) }
        view["similar"] = similar.map { SimilarView(similar: $0, strings: strings).context(of: record.id) }
        if !record.kind.mode.storesMedia { addHash(evidence, to: &view) }
    }

    private func addHash(_ evidence: EvidencePackage, to view: inout ViewContext) {
        let digest = record.mediaHash.hex
        let hardware = evidence.hardwareAttestation
        // Nobody vouches with a verdict that was taken back, or where a check failed.
        let counts = !record.isRevoked && complete?.confidence != .suspicious
        view["hash"] =
            [
                "lines": (0..<4).map { String(digest.dropFirst($0 * 16).prefix(16)) }, "compare": digest,
                "vouched": counts && hardware.status == .pass,
                "device_known": counts && hardware.status == .pass && !hardware.developmentAttestation,
                "depth_known": counts && evidence.coversDepth && evidence.depthAnalysis.verdict != nil,
            ] as ViewContext
        if let facts = evidence.video {
            view["film"] = strings(
                facts.frameCount == 1 ? "hash.film.one" : "hash.film",
                [
                    "n": "\(facts.frameCount)",
                    "s": formatter.number(Double(facts.durationMilliseconds / 100) / 10, digits: 1),
                ])
        }
        view["with_hash"] = true
        view["with_file"] = true
    }

    private func addProgress(to view: inout ViewContext) {
        view["h1"] = strings("proc.h1")
        view["note"] = strings("proc.note")
        view["reload"] = path
        view["events"] = APIPath.events(of: record.id)
        if record.kind.mode.storesMedia, photo.picture == nil {
            view["waiting"] = true
            view["with_camera"] = true
        }
        var steps = [
            ("received", "proc.received", true), ("hardware_attestation", "proc.signature", record.finished.contains(.attestation)),
            ("depth_analysis", "proc.depth", record.finished.contains(.depth)), ("evidence", "proc.credentials", false),
        ]
        switch record.kind {
        case .photo, .hashOnly, .hashOnlyVideo: break
        // The chain is computed with the signatures over it.
        case .video: steps.insert(("hash_chain", "proc.chain", record.finished.contains(.attestation)), at: 2)
        }
        view["steps"] =
            ["items": steps.map { ["step": $0.0, "word": strings($0.1), "done": $0.2] as ViewContext }] as ViewContext
    }

    private func addFailure(to view: inout ViewContext) {
        let reason =
            switch record.failure?.known {
            case .originalMissing: "failed.photo"
            case .depthUnreadable: "failed.depth"
            case .undecodable, .tombstone, .noEventID, .handlingFailed, .processDied, .captureUnknown, .captureUnreadable, .deviceUnknown,
                .intakeMissing, .registrationUnknown, .registrationUnreadable, .pictureMissing, .digestMismatch, .metadataUnreadable, nil:
                "failed.ours"
            }
        view["h1"] = strings("failed.h1")
        view["note"] = strings("failed.note", ["reason": strings(reason)])
        view["more"] = [strings("failed.todo")]
    }

    private var print: ViewContext {
        var digests: [ViewContext] = [["name": strings("cc.digest.original"), "digest": record.mediaHash.hex]]
        if let copy = record.signedCopy { digests.append(["name": strings("cc.digest.copy"), "digest": copy.sha256.hex]) }
        return ["url": address, "digests": digests]
    }

    private var openGraph: ViewContext {
        // Before there is a result, and once it is taken back, a neutral card with another address is used: caches keep pictures longer
        // than pages.
        let card = record.isRevoked ? Page.neutralCard : record.media[.shareCard]?.link ?? Page.neutralCard
        return [
            "og_type": "article", "title": title, "description": strings("site.description"), "og_url": address,
            "og_locale": strings.language.openGraph,
            "og_image": Page.card(publicURL + card, alt: badge.text(strings)),
        ]
    }
}
