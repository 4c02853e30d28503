//! A gate in front of a service of tower.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use tower_layer::Layer;
use tower_service::Service;

use super::ProjectGate;

/// A service behind a gate; see [`ProjectGate::wrap`].
#[derive(Clone, Debug)]
pub struct Gated<S> {
    pub(super) service: S,
    pub(super) gate: ProjectGate,
}

impl<S> Layer<S> for ProjectGate {
    type Service = Gated<S>;

    fn layer(&self, service: S) -> Gated<S> {
        self.wrap(service)
    }
}

impl<S, B, R> Service<Request<B>> for Gated<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<GateBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let verdict = self.gate.check(request.headers(), request.uri());
        // The one that is ready, not its copy.
        let copy = self.service.clone();
        let mut service = mem::replace(&mut self.service, copy);
        Box::pin(async move {
            match verdict.await {
                Err(refusal) => Ok(refusal.into_response().map(|body| GateBody::Refused(Some(body.into())))),
                Ok(project) => {
                    if let Some(project) = project {
                        request.extensions_mut().insert(project);
                    }
                    Ok(service.call(request).await?.map(|body| GateBody::Passed(Box::pin(body))))
                }
            }
        })
    }
}

/// The body of a response behind a gate.
#[derive(Debug)]
#[non_exhaustive]
pub enum GateBody<B> {
    /// That of the service.
    Passed(Pin<Box<B>>),
    /// That of a refusal, until it is read.
    Refused(Option<Bytes>),
}

impl<B: Body<Data = Bytes>> Body for GateBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match &mut *self {
            Self::Passed(body) => body.as_mut().poll_frame(context),
            Self::Refused(body) => Poll::Ready(body.take().map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Passed(body) => body.is_end_stream(),
            Self::Refused(body) => body.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Passed(body) => body.size_hint(),
            Self::Refused(body) => SizeHint::with_exact(body.as_ref().map_or(0, |bytes| bytes.len() as u64)),
        }
    }
}
