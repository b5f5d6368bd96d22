/// The findings of `upload-sync`: the media in the store, unchanged since they were accepted.
public struct MediaFindings: Codable, Sendable, Equatable {
    public var objects: [MediaName: StoredMedia]
    public init(objects: [MediaName: StoredMedia]) { self.objects = objects }
}
